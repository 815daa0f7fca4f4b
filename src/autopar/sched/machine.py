"""Heuristic numbers: what things cost on a machine, in seconds."""

from __future__ import annotations

from autopar.records import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """Costs measured on a two-core x86-64 virtual machine, November 2026.

    Some of them are measured anew on the user's machine: `runtime.measured`.

    Attributes
    ----------
    interpreted_op_s
        One operation of a loop body in CPython 3.11, on NumPy scalars.
    listed_op_s
        The same on Python's own numbers, in lists.
    list_s, item_s, new_item_s
        An array in place of a list, whatever it holds; reading an element into it; making an object
        of one and putting it back.
    compiled_op_s
        An operation of a loop body in a kernel.
    item_of_python_s
        An operation on an item of a sequence, in a comprehension.
    numpy_call_s, numpy_element_s
        One operation of NumPy's on whole arrays, and each element of it.
    draw_s, draw_integer_s
        A call of a generator's method that draws a number, and one that draws an integer of a
        range.
    dispatch_s, again_ops
        One call of a compiled nest, without its kernel; and how many operations of the
        interpreter's take longer than one that is like those before it.
    lend_s
        What drawing random numbers adds to it, in time and in what is overestimated of the rest.
    launch_s
        Handing one parallel region to threads that are awake, and collecting it.
    wake_s
        What the first one of a run takes longer, since the threads are asleep.
    start_s
        What the first question of a process takes: imports, and the types of a nest.
    first_compile_s, compile_op_s
        Kernels of the first nest that a process compiles, beyond those of others: imports; and of
        any nest, for each operation in its text.
    first_read_s, read_s
        The same where an earlier process has made them: for the first nest, and for any.
    compile_s
        Kernels of a nest of which nothing else is known.
    import_s
        Importing NumPy, for a program that has not.
    copy_byte_s
        Copying one byte of an array, to be able to undo.
    stream_byte_s, shared_byte_s
        Going through a byte of memory that is in no cache: one thread, and all of them together.
    cache_bytes
        Arrays of so many bytes may be in a cache.
    compare_byte_s
        Comparing one byte of an index array with a copy, to know that it is as it was.
    inspect_byte_s
        Finding out what an index array holds, a byte of it.
    check_share
        Part of a nest's run time that checks of subscripts take, where they are read from memory.
    undo_share
        Part of a nest's run time that such copies may take; beyond, it is cheaper to keep what a
        strip overwrites until it is known that NumPy would not warn.
    later_share
        The same where what a loop leaves is looked at after it: its iterations are the faster for
        it, as they are not where each strip has to know.
    naming_share
        The same where some loop has no such strips and looks at each operation instead.
    patient_s
        Run time from which the main thread waits for a nest, so that Ctrl-C reaches it, instead
        of running it.
    blas_share
        Part of the time of loops that BLAS takes for a product of matrices.
    tile_row_s
        Starting a row of a tile: its memory is new to the prefetcher.
    enter_s
        A call of a kernel that does nothing.
    brief_s
        Interpreted time beyond which kernels are faster, beyond doubt.
    looking_share
        How many times longer the interpreter takes for a loop that may be left at each iteration,
        which keeps it from becoming vector instructions.
    strip_lanes
        Iterations of a strip whose scalars stay in the fastest cache, beside what they read.
    panel_lanes
        The same where what they read is read again by other iterations: it should stay near, too.
    packed_bytes
        Copies of what the lanes of a strip read, where they keep nothing else: they may lie in the
        second cache, and to write rows in many pieces takes longer.
    private_bytes
        What the lanes of a strip have in place of arrays that are private to each: with what they
        read beside it, it should stay near.
    least_lanes
        Iterations from which on a strip pays.
    partial_lanes
        Iterations that know a part of an extreme beforehand: of what they read of one another,
        which they do one by one, there is the more the more of them there are.
    least_columns
        Columns of a sweep from which on its rows follow one another: all must begin, and end.
    chunks_per_thread
        Pieces that a parallel loop is cut into for each thread, so that uneven work balances.
    """

    interpreted_op_s: float = 4e-8
    listed_op_s: float = 8e-9
    list_s: float = 5e-6
    item_s: float = 3e-9
    new_item_s: float = 2.5e-8
    compiled_op_s: float = 1e-10
    item_of_python_s: float = 3e-8
    numpy_call_s: float = 7e-7
    numpy_element_s: float = 8e-10
    draw_s: float = 2e-7
    draw_integer_s: float = 1.2e-6
    dispatch_s: float = 1.5e-5
    again_ops: float = 200.0
    lend_s: float = 8e-5
    launch_s: float = 4e-6
    wake_s: float = 4e-5
    start_s: float = 0.05
    first_compile_s: float = 0.12
    compile_op_s: float = 3e-3
    first_read_s: float = 0.02
    read_s: float = 5e-3
    compile_s: float = 0.1
    import_s: float = 0.1
    copy_byte_s: float = 1e-10
    stream_byte_s: float = 8e-11
    shared_byte_s: float = 5e-11
    cache_bytes: int = 1 << 21
    compare_byte_s: float = 1e-10
    inspect_byte_s: float = 6e-10
    check_share: float = 0.1
    undo_share: float = 0.005
    later_share: float = 0.05
    naming_share: float = 0.5
    patient_s: float = 5e-2
    blas_share: float = 0.12
    strip_lanes: int = 512
    panel_lanes: int = 128
    packed_bytes: int = 1 << 16
    private_bytes: int = 1 << 18
    least_lanes: int = 8
    partial_lanes: int = 16
    least_columns: int = 32
    tile_row_s: float = 6e-8
    enter_s: float = 1e-6
    brief_s: float = 1e-3
    looking_share: float = 40.0
    chunks_per_thread: int = 8


MACHINE = Machine()

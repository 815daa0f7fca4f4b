"""Random programs, each under CPython and under autopar: everything observable must agree.

``python -m tests.fuzz --minutes 30 --seed 1`` looks for programs on which they differ, cuts down
what it finds and keeps it in ``tests/regressions/found``.  In the order of use:

========== =====================================================================================
choices    where a generator's decisions come from: a seed, a list to replay, Hypothesis
program    one program as text, how it is called, how it is stored
values     contents of its arrays
terms      grammar of expressions and subscripts
grammar    grammar of statements, loops, inputs: the one definition of what is generated
parts      grammar of statements on parts of arrays and whole arrays
families   grammar of all else: lists, objects, functions, draws and more, mixed with one another;
           "more families" is the same with one of the later families in every program
pivots     grammar of nests whose inner loops read what a variable of a loop around says
edits      changes to the nest as data (IR), for programs that no grammar thinks of
setting    settings that make every nest worth compiling and run chunks in odd orders
seen       values, in a form that compares by type, bits and identity
compare    both ways, and what differs
shrink     a shorter program with the same fault
worker     a process that judges programs; it may crash or hang
crew       the processes, watched
table      what the user sees
faults     what may be planted in autopar
mutations  plants them, to show that the machine finds them
========== =====================================================================================
"""

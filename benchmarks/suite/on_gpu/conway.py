"""One generation of the game of life: a thread walks down a strip and keeps sums of three rows."""

import functools

from suite.on_gpu.launch import blocks, compiled

READ = ("board",)
WRITTEN = ("after",)
STRIP = 4
WIDTH, HEIGHT = 32, 4

TEXT = """
#define STRIP 4

extern "C" __global__ void conway(const unsigned char* __restrict__ board,
                                  unsigned char* __restrict__ after,
                                  long long rows, long long cols) {
    const long long j = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long start = STRIP * (blockIdx.y * (long long)blockDim.y + threadIdx.y);
    if (j >= cols || start >= rows) return;
    const long long left = j > 0 ? j - 1 : cols - 1;
    const long long right = j + 1 < cols ? j + 1 : 0;
    const unsigned char* row = board + (start > 0 ? start - 1 : rows - 1) * cols;
    int up = row[left] + row[j] + row[right];
    row = board + start * cols;
    int alive = row[j];
    int at = row[left] + alive + row[right];
    #pragma unroll
    for (int k = 0; k < STRIP; k++) {
        const long long i = start + k;
        if (i >= rows) return;
        row = board + (i + 1 < rows ? i + 1 : 0) * cols;
        const int next = row[j];
        const int down = row[left] + next + row[right];
        const int s = up + at + down - alive;
        after[i * cols + j] = s == 3 || (s == 2 && alive == 1);
        up = at;
        at = down;
        alive = next;
    }
}
"""


@functools.cache
def kernel():
    from numba import cuda

    @cuda.jit
    def generation(board, after):
        j, strip = cuda.grid(2)
        rows, cols = board.shape
        start = strip * STRIP
        if j >= cols or start >= rows:
            return
        left = j - 1 if j > 0 else cols - 1
        right = j + 1 if j + 1 < cols else 0
        above = start - 1 if start > 0 else rows - 1
        up = board[above, left] + board[above, j] + board[above, right]
        alive = board[start, j]
        at = board[start, left] + alive + board[start, right]
        for i in range(start, min(start + STRIP, rows)):
            below = i + 1 if i + 1 < rows else 0
            next_one = board[below, j]
            down = board[below, left] + next_one + board[below, right]
            s = up + at + down - alive
            after[i, j] = s == 3 or (s == 2 and alive == 1)
            up = at
            at = down
            alive = next_one

    return generation


def grid(board):
    rows, cols = board.shape
    return blocks((cols, WIDTH), (rows, HEIGHT * STRIP))


def by_numba(board, after):
    kernel()[grid(board), (WIDTH, HEIGHT)](board, after)


def by_raw(board, after):
    compiled(TEXT, "conway")(grid(board), (WIDTH, HEIGHT), (board, after, *board.shape))


def by_arrays(board, after):
    import cupy

    rows = board + cupy.roll(board, 1, axis=0) + cupy.roll(board, -1, axis=0)
    s = rows + cupy.roll(rows, 1, axis=1) + cupy.roll(rows, -1, axis=1) - board
    after[:] = (s == 3) | ((s == 2) & (board == 1))

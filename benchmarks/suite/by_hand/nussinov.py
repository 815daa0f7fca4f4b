"""Row by row from below, each finished number handed on to the rest of its row in vectors."""


def run(bases, table):
    n = bases.shape[0]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            pair = 1 if i < j - 1 and bases[i] + bases[j] == 3 else 0
            table[i, j] = max(table[i + 1, j], table[i + 1, j - 1] + pair)
        for k in range(i + 1, n):
            done = max(table[i, k], table[i, k - 1])
            table[i, k] = done
            for j in range(k + 1, n):
                table[i, j] = max(table[i, j], done + table[k + 1, j])

"""Loops of the kinds that vectorizing compilers are tried on, judged by brute force.

``python -m tests.catalogue [category or loop …]`` shows what may run in parallel, how much of it
is found, and what is missed.  In the order of use:

======== =======================================================================================
loops/   the loops by category: plain functions, and what they are called with
loop     how a loop is registered; its calls and their inputs
updates  which assignments only bring one more value into an accumulator
trace    every access of a call, while CPython runs it
shape    loops of a function, and which tests decide on which statements
oracle   from traces: which pairs of loop and statement may run in parallel
run      a call under autopar, its plans carried out by `machine` or by kernels
machine  an interpreter of plans, parallel iterations in odd orders
claims   what a plan says, as pairs of loop and statement
judge    all of it for one loop
table    what the user sees
======== =======================================================================================
"""

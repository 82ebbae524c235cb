"""Runs one SELECT of a stranger against a catalogue of virtual tables, and nothing else.

The stranger's text never reaches the database. It passes seven fences:

reading/text        the characters of the text, and how many
reading/tokens      the words: which kinds, which names before a bracket, how deep, how many in a chain
reading/parsing     one SELECT, by sqlglot's parser with a grammar of ours (dialect, grammar)
reading/statement   every construct and every filled argument allow-listed, into our own small `tree`
compiling           names against the `catalogue`, kinds of values, cost as if everything were written out; then
                    new SQL out of a closed alphabet, every literal bound
running/…_reader    an engine's connection that cannot write and sees the catalogue's columns only
running/child, box  a process with limits, which is killed at its deadline
"""

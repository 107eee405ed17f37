"""Copying a whole store to another place, a file or a server, through the contract of every store.

copying        the way from one to the other: begun, gone on with, proven, let be seen
parts          what a store holds, part by part, each in an order in which it is read and written
verification   whether two stores hold the same
"""

"""One folder or file for each wire protocol. In each the same words: wire, decode, encode, request, dialects.

Protocols never import each other; what two of them share belongs to the core.
"""

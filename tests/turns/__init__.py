"""Continuity: the assistant's turn of one protocol in the next request of another."""

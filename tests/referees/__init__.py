"""The referees: what the vendors' own SDKs make of a body, as an oracle for our decoders."""

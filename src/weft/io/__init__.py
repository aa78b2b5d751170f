"""What has sockets: clients that the runner may use. Each file needs an extra of its own; nothing is imported from here."""

/**
 * True if a host is this machine: localhost or a name under it (RFC 6761), 127.0.0.0/8 or ::1. The host has no port,
 * and may have an IPv6 address's brackets.
 */
export declare const isLoopback: (host: string) => boolean

/**
 * True if a host is this machine: localhost or a name under it (RFC 6761), 127.0.0.0/8 or ::1. The host has no port,
 * and can have an IPv6 address's brackets.
 */
export const isLoopback = (host: string): boolean =>
  /^(?:(?:[^.:]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(host)

/** Node has sent them a 408 and closed the connection; the router only sees a client that left. */
export const timedOutRequests = new WeakSet<object>()

/**
 * Requests whose body did not arrive in time. Node has sent a 408 and closed the connection; the router only sees a
 * client that left.
 */
export const timedOutRequests = new WeakSet<object>()

/**
 * Requests whose body did not arrive in time. The Node server has sent a 408 and closed their connections, which the router
 * sees only as a client that left.
 */
export const timedOutRequests = new WeakSet<object>()

/**
 * Requests whose body did not arrive in time. Node has sent a 408 and closed the connection. To the router it only
 * looks as if the client left.
 */
export const timedOutRequests = new WeakSet<object>()

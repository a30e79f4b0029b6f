/** Facts for a request's log line. */
type Facts = Readonly<Record<string, string | number>>

const facts = new WeakMap<object, Facts>()

export const addLoggedFacts = (incoming: object, added: Facts): void => {
  facts.set(incoming, { ...facts.get(incoming), ...added })
}

export const loggedFactsOf = (incoming: object): Facts | undefined => facts.get(incoming)

/**
 * Requests whose body did not arrive in time. Node has sent a 408 and closed the connection; the router only sees a
 * client that left.
 */
export const timedOutRequests = new WeakSet<object>()

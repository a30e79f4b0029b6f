type Facts = Readonly<Record<string, string | number>>

const facts = new WeakMap<object, Facts>()

/** Adds to what the log line of a request says, by the request's source. */
export const addLoggedFacts = (incoming: object, added: Facts): void => {
  facts.set(incoming, { ...facts.get(incoming), ...added })
}

/** What was added to the log line of a request. */
export const loggedFactsOf = (incoming: object): Facts | undefined => facts.get(incoming)

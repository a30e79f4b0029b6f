type Facts = Readonly<Record<string, string | number>>

/** The facts for each request's log line, by Node's request. */
const facts = new WeakMap<object, Facts>()

export const addLoggedFacts = (incoming: object, added: Facts): void => {
  facts.set(incoming, { ...facts.get(incoming), ...added })
}

export const loggedFactsOf = (incoming: object): Facts | undefined => facts.get(incoming)

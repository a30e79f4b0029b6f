/** The time that a draft gets of what was written for another post. One that has passed would be refused. */
export const keptTime = (at: string | null, now: Date): string | null => (at !== null && new Date(at) > now ? at : null)

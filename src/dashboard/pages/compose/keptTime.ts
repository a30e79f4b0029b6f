/** A past time would be refused. */
export const keptTime = (at: string | null, now: Date): string | null => (at !== null && new Date(at) > now ? at : null)

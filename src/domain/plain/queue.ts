/** In the order of JavaScript's `getUTCDay`. */
export const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const
export type Weekday = (typeof weekdays)[number]

/** One for each hour of a week. */
export const maxQueueEntries = 168

/** A username as Instagram takes it. People also write an `@` before it. */
export const usernameOf = (written: string): string => written.trim().replace(/^@/, "")

/** No period is first, last or beside another. */
export const isUsername = (name: string): boolean => /^(?=.{1,30}$)[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*$/.test(name)

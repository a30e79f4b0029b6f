/** A username as Instagram takes it. People also write an `@` before it. */
export const usernameOf = (written: string): string => written.trim().replace(/^@/, "")

export const isUsername = (name: string): boolean => /^[A-Za-z0-9._]{1,30}$/.test(name)

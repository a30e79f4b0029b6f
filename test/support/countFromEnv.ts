/** A number of inputs that an environment variable sets. Refuses any other text, because a test without inputs passes. */
export const countFromEnv = (name: string, usual: number): number => {
  const text = process.env[name] ?? `${usual}`
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${name} is "${text}", but has to be a whole number above 0`)
  return Number(text)
}

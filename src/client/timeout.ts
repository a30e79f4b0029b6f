export const withTimeout = async <A>(
  timeoutMillis: number | undefined,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<A>
): Promise<A> => {
  const timeout = new AbortController()
  const end = () => timeout.abort(new DOMException(`No answer within ${timeoutMillis} ms`, "TimeoutError"))
  const timer = timeoutMillis === undefined ? undefined : setTimeout(end, timeoutMillis)
  try {
    return await run(signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]))
  } finally {
    clearTimeout(timer)
  }
}

/** How far the service's clock is ahead of the browser's, in milliseconds. */
let ahead = 0

/** Takes the time of a response's `Date` header, which is in seconds. */
export const setServiceTime = (date: string | null) => {
  const time = Date.parse(date ?? "")
  if (!Number.isNaN(time)) ahead = time - Date.now()
}

/** The present by the service's clock, a second off at most where responses are quick. The browser's may be wrong by hours. */
export const serviceNow = (): Date => new Date(Date.now() + ahead)

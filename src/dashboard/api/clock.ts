/** The service's clock minus the browser's, in milliseconds. */
let ahead = 0

/** `date` is a `Date` header, which has a precision of a second. */
export const setServiceTime = (date: string | null) => {
  const time = Date.parse(date ?? "")
  if (!Number.isNaN(time)) ahead = time - Date.now()
}

/** The time by the service's clock, within about a second. The browser's clock may be hours off. */
export const serviceNow = (): Date => new Date(Date.now() + ahead)

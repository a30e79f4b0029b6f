/** A place in the calendar: a day, and one of its items. The first item is the day's own button. */
export interface Place {
  readonly day: number
  readonly item: number
}

const daysInWeek = 7

/** The months that a key turns in the month view; 0 if it turns none. */
export const monthsTurned = (key: string): number => (key === "PageDown" ? 1 : key === "PageUp" ? -1 : 0)

/**
 * The place that a key leads to; undefined if it leads nowhere.
 *
 * @param sizes The number of items of each day, in the order of the days.
 * @param isMonth True if the days of a week are beside each other, and the next week is below.
 */
export const placeAfter = (
  sizes: ReadonlyArray<number>,
  { day, item }: Place,
  key: string,
  isMonth: boolean
): Place | undefined => {
  const size = (of: number): number => sizes[of] ?? 0
  const inDay = (of: number, wanted: number): Place | undefined =>
    size(of) === 0 ? undefined : { day: of, item: Math.max(0, Math.min(wanted, size(of) - 1)) }
  switch (key) {
    case "ArrowDown":
      if (item + 1 < size(day)) return { day, item: item + 1 }
      return isMonth ? inDay(day + daysInWeek, 1) : undefined
    case "ArrowUp":
      if (item > 0) return { day, item: item - 1 }
      return isMonth ? inDay(day - daysInWeek, Infinity) : undefined
    case "ArrowRight":
      return inDay(day + 1, item)
    case "ArrowLeft":
      return inDay(day - 1, item)
    case "Home":
      return inDay(day - (day % daysInWeek), item)
    case "End":
      return inDay(Math.min(day - (day % daysInWeek) + daysInWeek, sizes.length) - 1, item)
    default:
      return undefined
  }
}

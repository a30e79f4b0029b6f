import { instantOfWall, type ReadOffset } from "../../../domain/plain/timeZone.ts"

/** An instant whose getters and setters use the wall times of a zone, as those of a `Date` use the browser's zone. */
export class ZonedDate extends Date {
  readonly #offsetAt: ReadOffset

  constructor(time: number, offsetAt: ReadOffset) {
    super(time)
    this.#offsetAt = offsetAt
  }

  /** `wall` is a wall time as if it were in UTC. */
  static ofWall(wall: Date, offsetAt: ReadOffset): ZonedDate {
    return new ZonedDate(instantOfWall(offsetAt, wall.getTime()), offsetAt)
  }

  #wall(): Date {
    const time = this.getTime()
    return new Date(time + this.#offsetAt(time))
  }

  #moveTo(wall: number): number {
    return this.setTime(instantOfWall(this.#offsetAt, wall))
  }

  override getFullYear(): number {
    return this.#wall().getUTCFullYear()
  }

  override getMonth(): number {
    return this.#wall().getUTCMonth()
  }

  override getDate(): number {
    return this.#wall().getUTCDate()
  }

  override getDay(): number {
    return this.#wall().getUTCDay()
  }

  override getHours(): number {
    return this.#wall().getUTCHours()
  }

  override getMinutes(): number {
    return this.#wall().getUTCMinutes()
  }

  override setDate(date: number): number {
    return this.#moveTo(this.#wall().setUTCDate(date))
  }

  override setHours(hours: number, minutes?: number, seconds?: number, millis?: number): number {
    const wall = this.#wall()
    return this.#moveTo(
      wall.setUTCHours(
        hours,
        minutes ?? wall.getUTCMinutes(),
        seconds ?? wall.getUTCSeconds(),
        millis ?? wall.getUTCMilliseconds()
      )
    )
  }
}

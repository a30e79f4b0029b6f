import { classes } from "../classes.ts"

export interface CountRingProps {
  /** The platform's name. */
  readonly name: string
  readonly length: number
  readonly limit: number
  readonly unit: "bytes" | "characters"
  /** Such as `graphemes`. */
  readonly exactUnit: string
}

const radius = 7
const circumference = 2 * Math.PI * radius
/** The ring warns from this fraction of the limit. */
const nearlyFull = 0.9

/** A ring that fills, and the amount left, negative if the text is too long. */
export const CountRing = ({ exactUnit, length, limit, name, unit }: CountRingProps) => {
  const left = limit - length
  const part = Math.min(1, Math.max(0, length / limit))
  return (
    <span
      class={classes("ring", left < 0 && "ring-over", left >= 0 && part >= nearlyFull && "ring-near")}
      title={`${name}: ${length} of ${limit} ${exactUnit}`}
    >
      <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
        <circle class="ring-track" cx="9" cy="9" r={radius} />
        <circle
          class="ring-part"
          cx="9"
          cy="9"
          r={radius}
          stroke-dasharray={`${circumference * part} ${circumference}`}
          transform="rotate(-90 9 9)"
        />
      </svg>
      <span class="numbers" aria-hidden="true">
        {left}
      </span>
      <span class="only-read">
        {`${name}: ${Math.abs(left)} ${Math.abs(left) === 1 ? unit.slice(0, -1) : unit} ${left < 0 ? "too many" : "left"}`}
      </span>
    </span>
  )
}

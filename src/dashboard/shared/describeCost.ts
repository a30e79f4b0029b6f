interface Estimate {
  readonly usd: number
  readonly note: string
}

const dollars = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  minimumFractionDigits: 2,
  maximumFractionDigits: 3
})

/** Such as "About $0.20: 1 post on X with a link; X charges …". */
export const describeCost = ({ note, usd }: Estimate): string => `About ${dollars.format(usd)}: ${note}`

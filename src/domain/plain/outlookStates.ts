interface Counts {
  readonly posts: number
  readonly fine: number
  readonly need_you: number
  readonly unchecked: number
}

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`

/** The states of checked posts, such as `4 are fine, 1 needs you`. Empty without posts. */
export const describeStates = ({ fine, need_you: needYou, posts, unchecked }: Counts): string => {
  if (fine === posts && posts > 0) return posts === 1 ? "it is fine" : "all are fine"
  return [
    ...(fine > 0 ? [counted(fine, "is fine", "are fine")] : []),
    ...(needYou > 0 ? [counted(needYou, "needs you", "need you")] : []),
    ...(unchecked > 0 ? [`${unchecked.toLocaleString("en")} could not be checked`] : [])
  ].join(", ")
}

/** Reads each value of an iterator when it is first needed. */
export const lazyList = <Value>(source: Iterator<Value>): ((index: number) => Value | undefined) => {
  const known: Array<Value> = []
  let isDone = false
  return (index) => {
    while (!isDone && known.length <= index) {
      const next = source.next()
      if (next.done === true) isDone = true
      else known.push(next.value)
    }
    return known[index]
  }
}

/** The URL of the style sheet. The bundler replaces this name by it. */
declare const lateStyles: string

let loading: Promise<void> | undefined

const append = async () => {
  const link = document.createElement("link")
  const { promise, reject, resolve } = Promise.withResolvers<void>()
  link.rel = "stylesheet"
  link.href = lateStyles
  link.addEventListener("load", () => resolve())
  link.addEventListener("error", () => reject(new Error("The styles couldn’t be loaded")))
  document.body.append(link)
  try {
    await promise
  } catch (error) {
    link.remove()
    loading = undefined
    throw error
  }
}

/** Loads the styles of everything but the calendar, once. A failure is not kept, so that a retry works. */
const loadLateStyles = (): Promise<void> => (loading ??= append())

/** Loads code together with its styles. */
export const withLateStyles = async <A>(code: Promise<A>): Promise<A> => {
  const [loaded] = await Promise.all([code, loadLateStyles()])
  return loaded
}

/** The URL of the style sheet. The bundler replaces this name by it. */
declare const lateStyles: string

let loading: Promise<void> | undefined

const append = () =>
  new Promise<void>((resolve, reject) => {
    const link = document.createElement("link")
    link.rel = "stylesheet"
    link.href = lateStyles
    link.onload = () => resolve()
    link.onerror = () => {
      link.remove()
      loading = undefined
      reject(new Error("The styles couldn’t be loaded"))
    }
    document.body.append(link)
  })

/** Loads the styles of everything but the calendar, once. A failure is not kept, so that a retry works. */
export const loadLateStyles = (): Promise<void> => (loading ??= append())

/** Loads code together with its styles. */
export const withLateStyles = async <A>(code: Promise<A>): Promise<A> => {
  const [loaded] = await Promise.all([code, loadLateStyles()])
  return loaded
}

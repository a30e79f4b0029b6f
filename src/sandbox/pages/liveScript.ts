/**
 * Shows new posts without a reload, which would move the focus and the scroll position. Nothing is replaced while it
 * has the focus.
 */
export const liveScript = `const show = async () => {
  if (document.hidden) return
  const response = await fetch(location.href)
  if (!response.ok) return
  const next = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main")
  const main = document.querySelector("main")
  if (next === null || main.contains(document.activeElement) || next.innerHTML === main.innerHTML) return
  main.replaceWith(next)
}
setInterval(() => show().catch(() => undefined), 5000)
`

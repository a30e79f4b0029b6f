export const postAt = (element: EventTarget | null): string | undefined =>
  (element instanceof Element ? element.closest("[data-drag]")?.getAttribute("data-drag") : undefined) ?? undefined

export const focusedPost = () => postAt(document.activeElement)

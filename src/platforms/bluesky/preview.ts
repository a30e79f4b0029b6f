import type { Preview } from "../Platform.ts"

/** A longer path is cut two characters below this, and three dots follow. */
const longestPath = 15

/** A link begins a word or follows a parenthesis. Names have no hyphens, and several full stops break a link. */
const linked = /^[\s(]?(?:https?:\/\/[^\s/]|[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z0-9]+)+(?![\w-]))(?!.*\.\.+$)/

export const bluesky = {
  mention: /(?<![\p{L}\p{N}_@.])@[a-z0-9-]+(?:\.[a-z0-9-]+)+/u,
  linked,
  // Shortens as Bluesky's app does. An address without a scheme stays as it was written.
  shorten: (url) => {
    const parsed = /^https?:/.test(url) ? URL.parse(url) : null
    if (parsed === null) return url
    const path = `${parsed.pathname === "/" ? "" : parsed.pathname}${parsed.search}${parsed.hash}`
    return `${parsed.host}${path.length > longestPath ? `${path.slice(0, longestPath - 2)}...` : path}`
  }
} satisfies Preview

// The first match counts, because most browsers also name their ancestors.
const browsers: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bEdgA?(?:iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"]
]

const systems: ReadonlyArray<readonly [RegExp, string]> = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"]
]

const find = (names: ReadonlyArray<readonly [RegExp, string]>, text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1]

/** Such as `Firefox on Linux`. */
export const describeBrowser = (userAgent: string | null): string => {
  if (userAgent === null || userAgent === "") return "Unknown browser"
  const browser = find(browsers, userAgent)
  const system = find(systems, userAgent)
  if (browser === undefined) return system === undefined ? userAgent.slice(0, 40) : `A browser on ${system}`
  return system === undefined ? browser : `${browser} on ${system}`
}

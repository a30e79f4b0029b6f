import { Option } from "effect"
import type { Configuration } from "../config.ts"
import { needsFiles, needsVideo } from "../domain/plain/platforms.ts"

const commandLine = import.meta.url.endsWith(".ts") ? "npm run -s cli --" : "social-publisher"

/** A flag of 64 by 36 pixels, in base64. */
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAAAkAQMAAAADwq7RAAAABlBMVEX/1U8dm/D4NzuvAAAACXBIWXMAAAsTAAALEwEAmpwYAAAAGElEQVQY02P4DwUMFDM+MDDwDzUGVfwOANu74x1mjynrAAAAAElFTkSuQmCC"

export const greeting = (
  { baseUrl, enabled, offersDemo, platforms }: Configuration,
  demoKey: Option.Option<string>
): string => {
  const addresses = [
    "",
    `Listening on ${baseUrl}`,
    "",
    `  dashboard   ${baseUrl}/${offersDemo ? "   (open it and continue as demo)" : ""}`,
    `  reference   ${baseUrl}/docs`,
    ...(platforms === "sandbox" ? [`  timelines   ${baseUrl}/sandbox`] : [])
  ]
  // Behind a proxy or on another host, standard error is likely a log that others read.
  if (Option.isNone(demoKey) || !offersDemo) {
    return [...addresses, `  API keys    ${commandLine} key create --workspace ID`, ""].join("\n")
  }
  const auth = `-H 'Authorization: Bearer ${demoKey.value}'`
  const post = `curl -sS ${baseUrl}/v1/posts ${auth} -H 'Content-Type: application/json'`
  const nowOn = (chosen: typeof enabled) => {
    const names = chosen.map((platform) => `\\"${platform}\\"`).join()
    return `\\"platforms\\":[${names}],\\"schedule_at\\":\\"$(date -u +%FT%TZ)\\"`
  }
  const takingTexts = enabled.filter((platform) => !needsFiles(platform))
  const takingPictures = enabled.filter((platform) => !needsVideo(platform))
  return [
    ...addresses,
    `  API key     ${demoKey.value}   (shown this once)`,
    "",
    "Publish a post, and see it on the timelines:",
    "",
    `  ${post} \\`,
    `    -d "{\\"content\\":\\"Hello at $(date +%T)\\",${nowOn(takingTexts)}}"`,
    "",
    "And one with a picture, which is ready for posts a moment after its upload:",
    "",
    `  id=$(echo ${picture} | base64 -d \\`,
    `    | curl -sS ${baseUrl}/v1/media ${auth} -F file=@- -F 'alt=A yellow flag' | grep -o '"id":"[^"]*' | cut -c7-)`,
    `  until curl -sS ${baseUrl}/v1/media/$id ${auth} | grep -q '"ready"'; do sleep 1; done`,
    `  ${post} \\`,
    `    -d "{\\"content\\":\\"A picture at $(date +%T)\\",\\"media\\":[{\\"id\\":\\"$id\\"}],${nowOn(takingPictures)}}"`,
    ""
  ].join("\n")
}

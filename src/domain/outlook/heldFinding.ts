import type { Finding } from "./finding.ts"

export const publishingHeld: Finding = {
  code: "publishing_held",
  level: "note",
  message: "Publishing is on hold after a restore, so nothing goes out, and platforms, links and files were not asked",
  help: "Ask the administrator of the service to resume publishing, then check again",
  platform: null,
  integration_id: null
}

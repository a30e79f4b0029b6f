import { counted } from "../counted.ts"
import type { Issue } from "../errors.ts"
import { type MediaFile, type MediaReference, type PostMedia, toPostMedia } from "./media.ts"
import { findMediaDoubts } from "./mediaDoubts.ts"
import { checkFile, findCombinationIssues, maxFilesOf } from "./mediaRules.ts"
import { enabledRules } from "../enabled.ts"
import type { LivePlatform, Platform } from "../platform.ts"
import type { PostRefusal, Rules } from "../posts/platformRules.ts"
import type { PlatformSettings } from "../posts/platformSettings.ts"

/** The files that a post names and that the workspace has. */
export type Library = ReadonlyArray<MediaFile>

export interface PlannedMedia {
  readonly media: ReadonlyArray<PostMedia>
  readonly issues: ReadonlyArray<Issue>
  readonly notReady: ReadonlyArray<Issue>
  /** Reasons why a platform may refuse an accepted file later. */
  readonly doubts: ReadonlyArray<Issue>
}

interface MediaContext {
  /** Null if the files are not known. Only their number is checked then. */
  readonly library: Library | null
  readonly platforms: ReadonlyArray<Platform>
  readonly status: "draft" | "scheduled"
  /**
   * The post's files, if the request names none. A draft keeps its copies of files that are no longer in the library.
   */
  readonly stored?: ReadonlyArray<PostMedia>
  /** Absent for a part of a thread, which has no settings. */
  readonly settings?: PlatformSettings
}

export const namedFiles = (references: ReadonlyArray<MediaReference>) => [...new Set(references.map(({ id }) => id))]

export const storedReferences = (media: ReadonlyArray<PostMedia>): ReadonlyArray<MediaReference> =>
  media.map(({ alt, id }) => ({ id, alt }))

export const refreshMedia = (media: ReadonlyArray<PostMedia>, library: Library): ReadonlyArray<PostMedia> =>
  media.map((stored) => {
    const file = library.find(({ id }) => id === stored.id)
    return file === undefined ? stored : toPostMedia(file, stored.alt)
  })

const togetherIssue = (platform: LivePlatform, { index, reason, setting }: PostRefusal): Issue => ({
  ...(setting === undefined
    ? { path: ["media", ...(index === undefined ? [] : [index])], code: "file_refused" }
    : { path: ["platform_settings", platform, setting], code: "setting_refused" }),
  message: `${platform} ${reason}`,
  facts: { platform, reason }
})

const fileIssue = (index: number, message: string): Issue => ({ path: ["media", index, "id"], message })

/** A file that can't be read would fail again, so the reason says what to mend. */
const explainFailed = (failure: string | null = null): string =>
  failure === null
    ? "This file could not be processed; upload it again, or use another file"
    : `This file could not be processed: ${failure.replace(/\.$/, "")}. Use another file, or mend this one and upload it again`

/**
 * Decides which files a post carries. Drafts are checked only for mistakes in the request; scheduled posts also for
 * files that a platform refuses or that are not ready.
 */
export const planMedia = (
  rules: Rules,
  references: ReadonlyArray<MediaReference>,
  { library: knownFiles, platforms, settings, status, stored = [] }: MediaContext
): PlannedMedia => {
  const library = knownFiles ?? []
  const named = references.map((reference, index) => ({
    ...reference,
    index,
    file: library.find(({ id }) => id === reference.id),
    kept: status === "draft" ? stored.find(({ id }) => id === reference.id) : undefined,
    isRepeated: references.findIndex(({ id }) => id === reference.id) < index
  }))
  const known = named.flatMap(({ alt, file, index }) =>
    file === undefined ? [] : [{ file, alt: alt ?? file.alt, index }]
  )
  const requested = named.flatMap(({ file, index, isRepeated, kept }): ReadonlyArray<Issue> => {
    if (isRepeated) return [fileIssue(index, "Expected each file once")]
    if (file?.status === "failed") {
      return [fileIssue(index, explainFailed(file.failure))]
    }
    return knownFiles !== null && file === undefined && kept === undefined
      ? [fileIssue(index, "There is no such file in this workspace; it may have expired. Upload it again")]
      : []
  })
  const types = known.flatMap(({ file }) => (file.facts === null ? [] : [file.facts.type]))
  const refused = known.flatMap(({ alt, file: { facts, renditions, status: fileStatus }, index }) =>
    status === "draft" || fileStatus !== "ready" || facts === null
      ? []
      : enabledRules(rules, platforms).flatMap(({ own, platform }) =>
          checkFile(own.media, platform, { facts, renditions }, alt).map((issue): Issue => ({
            ...issue,
            path: ["media", index, ...issue.path.slice(2)]
          }))
        )
  )
  const together =
    status === "draft"
      ? []
      : enabledRules(rules, platforms).flatMap(({ own, platform }) => {
          const most = maxFilesOf(own.media)
          const reason = `accepts ${counted(most, "file")} in a post, but this one has ${references.length}`
          const files = named.map(({ file }) => file?.facts ?? null)
          return [
            ...(references.length > most ? [{ reason }] : []),
            ...(settings === undefined ? [] : (own.refusePost?.(files, settings) ?? []))
          ].map((refusal) => togetherIssue(platform, refusal))
        })
  const doubts = known.flatMap(({ file: { facts }, index }) =>
    facts === null
      ? []
      : enabledRules(rules, platforms).flatMap(({ own, platform }) =>
          findMediaDoubts(own.media, platform, facts, ["media", index])
        )
  )
  return {
    doubts,
    media: named.flatMap(({ alt, file, kept }) =>
      file === undefined ? (kept ?? []) : [toPostMedia(file, alt ?? file.alt)]
    ),
    issues: [...requested, ...findCombinationIssues(types), ...refused, ...together],
    notReady: known
      .filter(({ file }) => status === "scheduled" && file.status === "processing")
      .map(({ index }) => ({
        path: ["media", index, "id"],
        message: "This file is still being processed; try again in a moment",
        code: "file_processing"
      }))
  }
}

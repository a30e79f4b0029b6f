import { useRef } from "preact/hooks"
import { mediaTypes } from "../../../domain/plain/limits.ts"
import type { MediaJson } from "../../api/media.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import type { PartIssues } from "./issues.ts"
import { MediaList } from "./MediaList.tsx"
import type { ComposePart } from "./parts.ts"
import type { Uploads } from "./useUploads.ts"

export interface AddFilesProps {
  /** Ends the names of the controls, such as ` of part 2`. */
  readonly of: string
  /** True for an icon without text. */
  readonly isSmall: boolean
  readonly disabled: boolean
  readonly onFiles: (files: Iterable<File>) => void
}

export const AddFiles = ({ disabled, isSmall, of, onFiles }: AddFilesProps) => {
  const picker = useRef<HTMLInputElement>(null)
  const pick = () => picker.current?.click()
  return (
    <>
      {isSmall ? (
        <IconButton icon="image" label={`Add files${of}`} disabled={disabled} onClick={pick} />
      ) : (
        <Button size="small" icon="image" disabled={disabled} onClick={pick}>
          Add pictures or a video
        </Button>
      )}
      <input
        ref={picker}
        class="only-read"
        type="file"
        tabindex={-1}
        aria-label={`Pictures or a video${of}`}
        multiple
        accept={mediaTypes.join(",")}
        onChange={(event) => {
          onFiles(Array.from(event.currentTarget.files ?? []))
          event.currentTarget.value = ""
        }}
      />
    </>
  )
}

export interface PartFilesProps {
  readonly part: ComposePart
  readonly of: string
  readonly change: (change: (part: ComposePart) => Partial<ComposePart>) => void
  readonly uploads: Uploads
  readonly issues: PartIssues
  readonly readOnly: boolean
}

export const PartFiles = ({ change, issues, of, part, readOnly, uploads }: PartFilesProps) => {
  const onProcessed = ({ error, height, id, type, width }: MediaJson) => {
    const processed = { type, width, height, problem: error?.message }
    change(({ media }) => ({ media: media.map((medium) => (medium.id === id ? { ...medium, ...processed } : medium)) }))
  }
  return (
    <MediaList
      media={part.media}
      of={of}
      onMedia={(media) => {
        change(() => ({ media }))
      }}
      onProcessed={onProcessed}
      running={uploads.running.filter((upload) => upload.part === part.key)}
      pictures={uploads.previews}
      issues={issues}
      readOnly={readOnly}
    />
  )
}

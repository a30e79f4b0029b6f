import { useEffect, useRef, useState } from "preact/hooks"
import { type MediaJson, oneMedia } from "../../api/media.ts"
import { useQuery } from "../../api/query.ts"
import { shownMedium } from "../../shared/TargetPreview.tsx"
import { classes } from "../../ui/classes.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Field, TextArea } from "../../ui/controls/Field.tsx"
import { FieldErrors } from "../../ui/controls/FormError.tsx"
import { Icon } from "../../ui/Icon.tsx"
import type { PartIssues } from "./issues.ts"
import type { ComposeMedium } from "./parts.ts"
import type { Upload } from "./useUploads.ts"

/** In milliseconds, while a file is processed. */
const pollMillis = 1000

const Processing = ({ id, onChange }: { readonly id: string; readonly onChange: (file: MediaJson) => void }) => {
  const { data } = useQuery(oneMedia(id), { every: pollMillis })
  const status = data?.data.status
  useEffect(() => {
    if (data !== undefined && status !== "processing") onChange(data.data)
  }, [status])
  return null
}

const Picture = ({ medium, preview }: { readonly medium: ComposeMedium; readonly preview: string | undefined }) => {
  const { src, type } = shownMedium(medium)
  const shown = preview ?? (type === "video" ? undefined : src)
  return (
    <span class="compose-thumb">
      {shown === undefined ? <Icon name={type === "video" ? "play" : "image"} /> : <img src={shown} alt="" />}
    </span>
  )
}

interface RowProps {
  readonly medium: ComposeMedium
  readonly index: number
  readonly count: number
  readonly of: string
  readonly preview: string | undefined
  readonly issues: ReadonlyArray<string>
  readonly readOnly: boolean
  readonly onAlt: (alt: string) => void
  readonly onMove: (to: number) => void
  readonly onRemove: () => void
  readonly drag: {
    readonly isOver: boolean
    readonly onStart: () => void
    readonly onEnter: () => void
    readonly onDrop: () => void
  }
}

const Row = (props: RowProps) => {
  const { count, drag, index, issues, medium, of, onAlt, onMove, onRemove, preview, readOnly } = props
  const name = `${medium.type === "video" ? "video" : "picture"} ${index + 1}${of}`
  const error = medium.problem ?? issues.join(" ")
  return (
    <div
      class={classes("compose-medium", drag.isOver && "compose-medium-over")}
      onDragEnter={drag.onEnter}
      onDragOver={(event) => {
        event.preventDefault()
      }}
      onDrop={drag.onDrop}
    >
      <span
        class="compose-grip"
        draggable={count > 1}
        onDragStart={(event) => {
          event.dataTransfer?.setData("text/plain", medium.id)
          drag.onStart()
        }}
      >
        <Picture medium={medium} preview={preview} />
      </span>
      <Field
        label={`Alt text of ${name}`}
        error={error === "" ? undefined : error}
        hint={medium.type === null && medium.problem === undefined ? "Being processed, which takes seconds" : undefined}
        aside={medium.alt.trim() === "" && <span class="compose-missing">Missing</span>}
      >
        {(control) => (
          <TextArea
            {...control}
            rows={2}
            value={medium.alt}
            readOnly={readOnly}
            placeholder="What is there to see, for people who can’t see it?"
            onValue={onAlt}
          />
        )}
      </Field>
      <span class="compose-medium-tools">
        <IconButton icon="close" label={`Remove ${name}`} onClick={onRemove} />
        {count > 1 && (
          <>
            <IconButton
              icon="arrowUp"
              label={`Move ${name} up`}
              disabled={index === 0}
              onClick={() => {
                onMove(index - 1)
              }}
            />
            <IconButton
              class="compose-down"
              icon="arrowUp"
              label={`Move ${name} down`}
              disabled={index === count - 1}
              onClick={() => {
                onMove(index + 1)
              }}
            />
          </>
        )}
      </span>
    </div>
  )
}

const UploadRow = ({ cancel, error, name, preview, progress, retry }: Upload) => (
  <li class="compose-medium">
    <span class="compose-thumb">
      {preview === undefined || error !== undefined ? <Icon name="image" /> : <img src={preview} alt="" />}
    </span>
    <span class="compose-uploading">
      <span class="truncate">{name}</span>
      {error === undefined ? (
        <progress class="compose-progress" value={progress} max={1} aria-label={`Uploading ${name}`} />
      ) : (
        <span class="field-note field-error" role="alert">
          {error}
        </span>
      )}
    </span>
    <span class="compose-medium-tools">
      {error !== undefined && retry !== undefined && (
        <Button size="small" onClick={retry}>
          Try again
        </Button>
      )}
      <IconButton icon="close" label={`Cancel ${name}`} onClick={cancel} />
    </span>
  </li>
)

export interface MediaListProps {
  readonly media: ReadonlyArray<ComposeMedium>
  /** Ends the names of the files, such as ` of part 2`. */
  readonly of: string
  readonly onMedia: (media: ReadonlyArray<ComposeMedium>) => void
  readonly onProcessed: (file: MediaJson) => void
  readonly running: ReadonlyArray<Upload>
  /** By file id. */
  readonly pictures: ReadonlyMap<string, string>
  readonly issues: PartIssues
  readonly readOnly: boolean
}

const move = <A,>(items: ReadonlyArray<A>, from: number, to: number): ReadonlyArray<A> => {
  const moved = items.slice(from, from + 1)
  const rest = items.toSpliced(from, 1)
  return rest.toSpliced(to, 0, ...moved)
}

export const MediaList = (props: MediaListProps) => {
  const { issues, media, of, onMedia, onProcessed, pictures, readOnly, running } = props
  const dragged = useRef<number | undefined>(undefined)
  const [over, setOver] = useState<number>()
  if (media.length === 0 && running.length === 0) return null
  return (
    <div class="compose-media">
      <ul class="compose-media-list" aria-label={`Media${of}`}>
        {media.map((medium, index) => (
          <li key={medium.id}>
            <Row
              medium={medium}
              index={index}
              count={media.length}
              of={of}
              preview={pictures.get(medium.id)}
              issues={issues.media(index)}
              readOnly={readOnly}
              onAlt={(alt) => {
                onMedia(media.with(index, { ...medium, alt }))
              }}
              onMove={(to) => {
                onMedia(move(media, index, to))
              }}
              onRemove={() => {
                onMedia(media.toSpliced(index, 1))
              }}
              drag={{
                isOver: over === index && dragged.current !== index,
                onStart: () => {
                  dragged.current = index
                },
                onEnter: () => {
                  if (dragged.current !== undefined) setOver(index)
                },
                onDrop: () => {
                  if (dragged.current !== undefined) onMedia(move(media, dragged.current, index))
                  dragged.current = undefined
                  setOver(undefined)
                }
              }}
            />
          </li>
        ))}
        {running.map((upload) => (
          <UploadRow {...upload} key={upload.key} />
        ))}
      </ul>
      {media
        .filter(({ problem, type }) => type === null && problem === undefined)
        .map(({ id }) => (
          <Processing key={id} id={id} onChange={onProcessed} />
        ))}
      <FieldErrors errors={issues.allMedia} />
    </div>
  )
}

import { useEffect, useRef, useState } from "preact/hooks"
import { type MediaJson, oneMedia } from "../../api/media.ts"
import { useQuery } from "../../api/query.ts"
import { shownMedium } from "../../shared/TargetPreview.tsx"
import { filePollMillis } from "./filePollMillis.ts"
import { classes } from "../../ui/classes.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"
import { Field, TextArea } from "../../ui/controls/Field.tsx"
import { FieldErrors } from "../../ui/controls/FormError.tsx"
import { Icon } from "../../ui/Icon.tsx"
import type { Upload } from "./composingState.ts"
import type { ComposeMedium } from "./parts.ts"
import type { PartProps } from "./PartText.tsx"
import type { EditorProps } from "./useEditor.ts"

const Processing = ({ id, onChange }: { readonly id: string; readonly onChange: (file: MediaJson) => void }) => {
  const [since] = useState(() => Date.now())
  const { data } = useQuery(oneMedia(id), { every: filePollMillis(Date.now() - since) })
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

const isProcessed = ({ problem, type }: ComposeMedium): boolean => type !== null || problem !== undefined

type Media = ReadonlyArray<ComposeMedium>

const withMoved = (media: Media, from: number, to: number): Media =>
  media.toSpliced(from, 1).toSpliced(to, 0, ...media.slice(from, from + 1))

interface RowProps {
  readonly media: Media
  readonly medium: ComposeMedium
  readonly index: number
  /** Such as `picture 1 of part 2`. */
  readonly name: string
  readonly change: (change: (media: Media) => Media) => void
}

const RowTools = ({ change, index, media, name }: Omit<RowProps, "medium">) => {
  const move = (to: number) => () => change((now) => withMoved(now, index, to))
  return (
    <span class="compose-medium-tools">
      <IconButton icon="close" label={`Remove ${name}`} onClick={() => change((now) => now.toSpliced(index, 1))} />
      {media.length > 1 && (
        <>
          <IconButton icon="arrowUp" label={`Move ${name} up`} disabled={index === 0} onClick={move(index - 1)} />
          <IconButton
            class="compose-down"
            icon="arrowUp"
            label={`Move ${name} down`}
            disabled={index === media.length - 1}
            onClick={move(index + 1)}
          />
        </>
      )}
    </span>
  )
}

interface AltTextProps extends RowProps {
  readonly issues: ReadonlyArray<string>
  readonly doubts: ReadonlyArray<string>
  readonly readOnly: boolean
}

const AltText = ({ change, doubts, index, issues, medium, name, readOnly }: AltTextProps) => {
  const doubt = doubts.length === 0 ? undefined : doubts.join(" ")
  const error = medium.problem ?? issues.join(" ")
  return (
    <Field
      label={`Alt text of ${name}`}
      error={error === "" ? undefined : error}
      doubt={doubt}
      hint={isProcessed(medium) ? undefined : "Being processed, which takes seconds"}
      aside={medium.alt.trim() === "" && <span class="compose-missing">Missing</span>}
    >
      {(control) => (
        <TextArea
          {...control}
          rows={2}
          value={medium.alt}
          readOnly={readOnly}
          placeholder="What is there to see, for people who can’t see it?"
          onValue={(alt) => change((now) => now.map((one, place) => (place === index ? { ...one, alt } : one)))}
        />
      )}
    </Field>
  )
}

const UploadRow = ({ editor, upload }: EditorProps & { readonly upload: Upload }) => {
  const { canRetry, error, key, name, preview, progress } = upload
  return (
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
        {error !== undefined && canRetry && (
          <Button size="small" onClick={() => editor.retry(key)}>
            Try again
          </Button>
        )}
        <IconButton
          icon="close"
          label={`Cancel ${name}`}
          onClick={() => editor.dispatch({ type: "cancelUpload", key })}
        />
      </span>
    </li>
  )
}

const useDrag = (change: RowProps["change"]) => {
  const dragged = useRef<number | undefined>(undefined)
  const [over, setOver] = useState<number>()
  return (index: number) => ({
    isOver: over === index && dragged.current !== index,
    onStart: (event: DragEvent, id: string) => {
      event.dataTransfer?.setData("text/plain", id)
      dragged.current = index
    },
    onEnter: () => {
      if (dragged.current !== undefined) setOver(index)
    },
    onDrop: () => {
      const { current: from } = dragged
      if (from !== undefined) change((now) => withMoved(now, from, index))
      dragged.current = undefined
      setOver(undefined)
    }
  })
}

const Rows = ({ editor, index, issues, part }: PartProps) => {
  const { dispatch, parts, pictures, readOnly } = editor
  const { media } = part
  const change: RowProps["change"] = (how) =>
    dispatch({ type: "part", key: part.key, change: (now) => ({ media: how(now.media) }) })
  const dragAt = useDrag(change)
  return media.map((medium, place) => {
    const ofPart = parts.length > 1 ? ` of part ${index + 1}` : ""
    const name = `${medium.type === "video" ? "video" : "picture"} ${place + 1}${ofPart}`
    const row = { media, medium, index: place, name, change }
    const drag = dragAt(place)
    return (
      <li key={medium.id}>
        <div
          class={classes("compose-medium", drag.isOver && "compose-medium-over")}
          onDragEnter={drag.onEnter}
          onDragOver={(event) => event.preventDefault()}
          onDrop={drag.onDrop}
        >
          <span
            class="compose-grip"
            draggable={media.length > 1}
            onDragStart={(event) => drag.onStart(event, medium.id)}
          >
            <Picture medium={medium} preview={pictures.get(medium.id)} />
          </span>
          <AltText {...row} issues={issues.media(place)} doubts={issues.mediaDoubts(place)} readOnly={readOnly} />
          <RowTools {...row} />
        </div>
      </li>
    )
  })
}

export const PartFiles = (props: PartProps) => {
  const { editor, index, issues, part } = props
  const { dispatch, parts, state } = editor
  const { media } = part
  const uploads = state.uploads.filter((upload) => upload.part === part.key)
  if (media.length === 0 && uploads.length === 0) return <FieldErrors errors={issues.allMedia} />
  const onProcessed = ({ error, height, id, type, width }: MediaJson) => {
    const processed = { type, width, height, problem: error?.message }
    const update = (now: Media) => now.map((medium) => (medium.id === id ? { ...medium, ...processed } : medium))
    dispatch({ type: "part", key: part.key, change: (now) => ({ media: update(now.media) }) })
  }
  return (
    <div class="compose-media">
      <ul class="compose-media-list" aria-label={`Media${parts.length > 1 ? ` of part ${index + 1}` : ""}`}>
        <Rows {...props} />
        {uploads.map((upload) => (
          <UploadRow key={upload.key} upload={upload} editor={editor} />
        ))}
      </ul>
      {media
        .filter((medium) => !isProcessed(medium))
        .map(({ id }) => (
          <Processing key={id} id={id} onChange={onProcessed} />
        ))}
      <FieldErrors errors={issues.allMedia} />
    </div>
  )
}

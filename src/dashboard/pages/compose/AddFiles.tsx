import { useRef } from "preact/hooks"
import { mediaTypes } from "../../../domain/plain/limits.ts"
import { Button, IconButton } from "../../ui/controls/Button.tsx"

export interface AddFilesProps {
  /** The end of the controls' names, such as ` of part 2`. */
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

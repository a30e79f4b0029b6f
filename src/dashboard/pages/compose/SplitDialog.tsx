import { useEffect, useState } from "preact/hooks"
import { newIdempotencyKey } from "../../api/client.ts"
import { describeFailure, type Outcome } from "../../api/errors.ts"
import { type SplitJson, splitText } from "../../api/postActions.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Checkbox } from "../../ui/controls/Field.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"
import { CountRings } from "./CountRings.tsx"
import { type ComposePart, maxParts, splitTargets, textOn } from "./parts.ts"
import type { EditorProps } from "./useEditor.ts"

const SplitParts = ({ room, split }: { readonly split: SplitJson; readonly room: number }) => (
  <>
    <ol class="split-parts">
      {split.parts.map(({ content }, index) => (
        <li key={index} class="split-part">
          <span class="compose-part-number numbers" aria-hidden="true">
            {index + 1}
          </span>
          <p class="preview-text" dir="auto" lang="und">
            {content}
          </p>
          <CountRings
            counts={split.per_platform.flatMap(({ parts, platform }) => {
              const part = parts[index]
              return part === undefined ? [] : [{ platform, ...part }]
            })}
          />
        </li>
      ))}
    </ol>
    {!split.fits && (
      <FormError>
        {split.parts.length >= room
          ? "There is more text than a thread has room for. The last part holds the rest, and is too long."
          : "A part is still too long, because a link or word in it can’t be cut."}
      </FormError>
    )}
    {split.fits && split.parts.length === 1 && <p class="secondary">All of it fits into one post.</p>}
  </>
)

interface ShownProps {
  readonly outcome: Outcome<SplitJson> | undefined
  readonly room: number
  readonly onRetry: () => void
}

const Shown = ({ onRetry, outcome, room }: ShownProps) => {
  if (outcome === undefined) {
    return (
      <>
        <Loading />
        <Skeleton lines={3} height="card" />
      </>
    )
  }
  return outcome.ok ? (
    <SplitParts split={outcome.data} room={room} />
  ) : (
    <>
      <FormError>{describeFailure(outcome.error)}</FormError>
      <div>
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      </div>
    </>
  )
}

/** `answer` is undefined until it has loaded, and stays while the next one loads. */
const useSplit = (text: Omit<Parameters<typeof splitText>[0], "numbering">, isNumbered: boolean) => {
  const [tries, setTries] = useState(0)
  const [answer, setAnswer] = useState<{ readonly isNumbered: boolean; readonly outcome: Outcome<SplitJson> }>()
  useEffect(() => {
    const controller = new AbortController()
    const ask = async () => {
      const response = await splitText({ ...text, numbering: isNumbered ? "suffix" : "none" }, controller.signal)
      if (controller.signal.aborted) return
      setAnswer({ isNumbered, outcome: response.ok ? { ok: true, data: response.data.data } : response })
    }
    void ask()
    return () => controller.abort()
  }, [isNumbered, tries])
  const retry = () => setTries(tries + 1)
  return { answer, retry }
}

export const SplitDialog = ({ editor, part }: EditorProps & { readonly part: ComposePart }) => {
  const { dispatch, parts, platforms, tab } = editor
  const room = maxParts - parts.length + 1
  const [isNumbered, setNumbered] = useState(false)
  const { answer, retry } = useSplit(
    {
      content: tab === "all" ? part.content : textOn(part, tab),
      platforms: splitTargets(part, tab, platforms),
      max_parts: room
    },
    isNumbered
  )
  const texts = answer?.outcome.ok === true ? answer.outcome.data.parts.map(({ content }) => content) : []
  // Parts with the previous numbering are shown while others load, but can't be used.
  const canTake = texts.length > 1 && answer?.isNumbered === isNumbered
  const close = () => dispatch({ type: "askSplit", key: undefined })
  const take = () => {
    const pieces = texts.map((content) => ({ content, key: newIdempotencyKey() }))
    dispatch({ type: "split", tab, platforms, pieces })
  }
  return (
    <Dialog
      title="Split into a thread"
      size="large"
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" disabled={!canTake} onClick={take}>
            {texts.length < 2 ? "Use these parts" : `Use these ${texts.length} parts`}
          </Button>
        </>
      }
    >
      <div
        class="split"
        // Otherwise the dialog would count this as typed input, and Escape would no longer close it.
        onInput={(event) => event.stopPropagation()}
      >
        <Checkbox label="Number the parts, as in 2/7" checked={isNumbered} onChange={setNumbered} />
        <Shown outcome={answer?.outcome} room={room} onRetry={retry} />
      </div>
    </Dialog>
  )
}

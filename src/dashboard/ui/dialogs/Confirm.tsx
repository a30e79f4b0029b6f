import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../controls/Button.tsx"
import { Dialog } from "./Dialog.tsx"

export interface Question {
  readonly title: string
  readonly text: ComponentChildren
  readonly action: string
  readonly danger?: boolean
  /** The label of the button that leaves everything as it is, if that is the better choice. It is then primary. */
  readonly stay?: string
}

interface Asked extends Question {
  readonly answer: (isSure: boolean) => void
}

export type Confirm = (question: Question) => Promise<boolean>

/** The caller has to render `dialog`. */
export const useConfirm = () => {
  const [asked, setAsked] = useState<Asked>()
  const confirm: Confirm = (question) =>
    new Promise((resolve) => {
      setAsked({
        ...question,
        answer: (isSure) => {
          setAsked(undefined)
          resolve(isSure)
        }
      })
    })
  const no = () => asked?.answer(false)
  const yes = () => asked?.answer(true)
  const dialog = asked !== undefined && (
    <Dialog
      title={asked.title}
      size="small"
      onClose={no}
      footer={
        asked.stay === undefined ? (
          <>
            <Button onClick={no}>Cancel</Button>
            <Button kind={asked.danger === true ? "danger" : "primary"} onClick={yes}>
              {asked.action}
            </Button>
          </>
        ) : (
          <>
            <Button onClick={yes}>{asked.action}</Button>
            <Button kind="primary" onClick={no}>
              {asked.stay}
            </Button>
          </>
        )
      }
    >
      <p>{asked.text}</p>
    </Dialog>
  )
  /** `withdraw` answers an open question with no. */
  return { confirm, dialog, withdraw: no }
}

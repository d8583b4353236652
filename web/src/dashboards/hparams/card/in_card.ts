// Whether a view of HParams is in a card of another page, which has a frame and a title already.

import { getContext, setContext } from "svelte";

const IN_CARD = Symbol("in a card");

/** For the views below this component. */
export const showInCard = (): void => void setContext(IN_CARD, true);
export const isInCard = (): boolean => getContext(IN_CARD) === true;

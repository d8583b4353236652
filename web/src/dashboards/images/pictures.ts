// The decoded pictures of this page, for everything on it that shows any.

import { decodeImage } from "./decode/decode";
import { PictureStore } from "./picture_store";

export const pictures = new PictureStore(decodeImage);

/** A package without a file of its licence. */
export type TextElsewhere = {
  name: string;
  /** As in its `package.json`; another one is not covered. */
  licence: "MIT";
  /** The holder of the copyright, as the package names its authors. */
  holder: string;
  /** Where the package or its repository states the licence. */
  source: string;
};

/** The packages that ship and have no file of their licence, with where it is stated. */
export const textsElsewhere: readonly TextElsewhere[] = [
  {
    name: "@scalar/openapi-types",
    licence: "MIT",
    holder: "2023-present Scalar",
    source: "https://github.com/scalar/scalar/blob/main/LICENSE",
  },
  {
    name: "koa-compose",
    licence: "MIT",
    holder: "the authors of koa-compose (https://github.com/koajs/compose)",
    source: "the last section of its Readme.md",
  },
  {
    name: "react-remove-scroll-bar",
    licence: "MIT",
    holder: "Anton Korzunov <thekashey@gmail.com>",
    source: "https://github.com/theKashey/react-remove-scroll-bar, package.json",
  },
  {
    name: "tr46",
    licence: "MIT",
    holder: "Sebastian Mayr <npm@smayr.name>",
    source: "https://github.com/Sebmaster/tr46.js, package.json",
  },
];

/** The MIT licence with the holder that is known. */
export function toMitText({ holder, source }: Pick<TextElsewhere, "holder" | "source">): string {
  return `MIT License (the package has no file of its licence; stated in: ${source})

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}

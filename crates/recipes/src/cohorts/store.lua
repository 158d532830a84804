-- KEYS: the target, keys that nothing else uses, and bitmaps. ARGV: how many of the keys nothing else uses; and an expression
-- in postfix order: the number of a bitmap, from 0; or AND, OR, XOR, NOT or DIFF, a colon, and of how many operands.
-- Puts the bitmap that the expression makes at the target, whatever was there, or deletes the target if the bitmap is empty.
-- Replies with its length. The keys that nothing else uses do not exist afterwards.
local target, first = KEYS[1], tonumber(ARGV[1]) + 2
for i = first, #KEYS do
  local length = redis.pcall('STRLEN', KEYS[i])
  if type(length) == 'table' then return length end
end

-- BITOP, some operands at a time: a function takes no more than some thousand. A result is among the first of them, or not
-- among them.
local MOST = 1000
local function combine(op, result, operands)
  redis.call('BITOP', op, result, unpack(operands, 1, math.min(MOST, #operands)))
  for from = MOST + 1, #operands, MOST do
    local last = math.min(from + MOST - 1, #operands)
    redis.call('BITOP', op, result, result, unpack(operands, from, last))
  end
end

local stack, bottom = {}, 0
local rest = KEYS[first - 1]
for i = 2, #ARGV do
  local op, count = string.match(ARGV[i], '^(%u+):(%d+)$')
  if op then
    local operands = {}
    bottom = #stack - count + 1
    for j = bottom, bottom + count - 1 do
      operands[#operands + 1] = stack[j]
    end
    for j = #stack, bottom, -1 do stack[j] = nil end
    local result = KEYS[1 + bottom]
    if #operands == 0 then
      redis.call('DEL', result)
    elseif op == 'DIFF' then
      -- What the first has and the others have not: the first without what it shares with any of them.
      local minuend = table.remove(operands, 1)
      combine('OR', rest, operands)
      redis.call('BITOP', 'AND', rest, minuend, rest)
      redis.call('BITOP', 'XOR', result, minuend, rest)
    else
      combine(op, result, operands)
    end
    stack[bottom] = result
  else
    stack[#stack + 1] = KEYS[first + ARGV[i]]
  end
end
redis.call('BITOP', 'OR', target, stack[1] or rest)
for i = 2, first - 1 do redis.call('DEL', KEYS[i]) end
return redis.call('STRLEN', target)

-- KEYS: the target, temporary keys, and bitmaps. ARGV: the number of temporary keys; and an expression in postfix order, of
-- indexes of bitmaps, from 0, and of operators: AND, OR, XOR, NOT or DIFF, followed by a colon and the number of operands.
-- Stores the bitmap that the expression evaluates to at the target, replacing any value, or deletes the target if the
-- bitmap is empty. Replies with its length. The temporary keys must not be used by anything else, and do not exist
-- afterwards.
local target, first = KEYS[1], tonumber(ARGV[1]) + 2
for i = first, #KEYS do
  local length = redis.pcall('STRLEN', KEYS[i])
  if type(length) == 'table' then return length end
end

-- Runs BITOP on some operands at a time, because a Lua function takes at most some thousand arguments. If the result is one
-- of the operands, it must be among the first ones.
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
      -- The bits that only the first operand has: the first operand without the bits that it shares with any other one.
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

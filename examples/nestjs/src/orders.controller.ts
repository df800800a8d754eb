import { Body, Controller, Post } from '@nestjs/common';
import type { MessageResource, Trunkline } from '@trunkline/core';
import { InjectTrunkline } from '@trunkline/nestjs';

interface Order {
  readonly instance: string;
  readonly phone: string;
}

@Controller('orders')
export class OrdersController {
  constructor(@InjectTrunkline() private readonly trunkline: Trunkline) {}

  @Post()
  async place(@Body() { instance, phone }: Order): Promise<MessageResource> {
    const [workspace] = await this.trunkline.admin.workspaces.list();
    const { messages } = this.trunkline.workspace(workspace?.id ?? '');
    const text = 'Your order is on its way.';
    const { message } = await messages.send({ instance, to: phone, type: 'text', text });
    return message;
  }
}
